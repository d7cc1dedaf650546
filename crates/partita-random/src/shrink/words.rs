//! Changes of words and numbers in the text of a program. Most give no program at all: then they are not taken.

/// All changes, the most useful first.
pub(super) fn edits(text: &str) -> Vec<String> {
    let mut edits = Vec::new();
    edits.extend(mesh(text));
    edits.extend(axes(text));
    for extra in ["?", "p1"] {
        for (start, _) in text.match_indices(extra) {
            let mut edited = text.to_string();
            edited.replace_range(start..start + extra.len(), "");
            edits.push(edited.replace(", }", "}"));
        }
    }
    edits.extend(numbers(text));
    edits
}

/// The line that declares the mesh, as the place where it stands.
fn mesh_line(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.find("sdy.mesh")?;
    let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    Some(start..end)
}

/// A plain order of the devices; an axis less; a smaller axis.
fn mesh(text: &str) -> Vec<String> {
    let mut edits = Vec::new();
    let Some(line) = mesh_line(text) else { return edits };
    let declaration = &text[line.clone()];
    let (Some(open), Some(close)) = (declaration.find('['), declaration.find(']')) else { return edits };
    let list: Vec<&str> = declaration[open + 1..close].split(", ").collect();
    let with = |axes: &[String]| {
        let declaration = format!("{}{}]>", &declaration[..=open], axes.join(", "));
        format!("{}{declaration}{}", &text[..line.start], &text[line.end..])
    };
    let plain: Vec<String> = list.iter().map(|axis| axis.to_string()).collect();
    edits.push(with(&plain));
    for n in 0..list.len() {
        let Some((name, size)) = plain[n].split_once('=') else { continue };
        let mut fewer = plain.clone();
        fewer.remove(n);
        edits.push(without(&with(&fewer), name));
        for smaller in 2..size.parse().unwrap_or(0) {
            let mut other = plain.clone();
            other[n] = format!("{name}={smaller}");
            edits.push(with(&other));
        }
    }
    edits
}

/// The text without any mention of an axis.
fn without(text: &str, name: &str) -> String {
    let mut text = text.to_string();
    while let Some(range) = mentions(&text).into_iter().find(|range| text[range.clone()].starts_with(name)) {
        text = cut(&text, range);
    }
    text
}

/// An axis less in one place.
fn axes(text: &str) -> Vec<String> {
    mentions(text).into_iter().map(|range| cut(text, range)).collect()
}

/// Takes an item out of a list.
fn cut(text: &str, range: std::ops::Range<usize>) -> String {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let edited = match before.strip_suffix(", ") {
        Some(before) => format!("{before}{behind}"),
        None => format!("{before}{}", behind.strip_prefix(", ").unwrap_or(behind)),
    };
    edited.replace(", replicated={}", "")
}

/// Where shardings name axes, whole or in part.
fn mentions(text: &str) -> Vec<std::ops::Range<usize>> {
    let skip = mesh_line(text).unwrap_or(0..0);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('"').map(|n| from + n) {
        let Some(end) = text[start + 1..].find('"').map(|n| start + n + 2) else { break };
        let name = &text[start + 1..end - 1];
        let mut stop = end;
        if let Some(part) = text[end..].strip_prefix(":(") {
            let digits = |c: char| c.is_ascii_digit() || c == ')';
            stop = text.len() - part.trim_start_matches(digits).len();
        }
        let is_axis = !name.contains('.') && !skip.contains(&start);
        if is_axis {
            found.push(start..stop);
        }
        from = stop;
    }
    found
}

/// A number replaced by a smaller one, everywhere but in the mesh: so shapes that belong together stay so.
fn numbers(text: &str) -> Vec<String> {
    let skip = mesh_line(text).unwrap_or(0..0);
    let mut places: Vec<(i64, std::ops::Range<usize>)> = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        // Digits of names and of element types are no numbers.
        let word =
            start > 0 && matches!(bytes[start - 1], b'a'..=b'w' | b'%' | b'_' | b'#' | b'.' | b'(' | b')');
        if !word
            && !skip.contains(&start)
            && let Ok(number) = text[start..at].parse()
        {
            places.push((number, start..at));
        }
    }
    let mut distinct: Vec<i64> = places.iter().map(|(number, _)| *number).filter(|n| *n > 1).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut edits = Vec::new();
    for &number in distinct.iter().rev() {
        let mut smaller = vec![1, 2, number / 2, number - 1];
        smaller.dedup();
        for new in smaller.into_iter().filter(|new| *new < number) {
            let mut edited = String::with_capacity(text.len());
            let mut from = 0;
            for (_, range) in places.iter().filter(|(n, _)| *n == number) {
                edited.push_str(&text[from..range.start]);
                edited.push_str(&new.to_string());
                from = range.end;
            }
            edited.push_str(&text[from..]);
            edits.push(edited);
        }
    }
    edits
}
