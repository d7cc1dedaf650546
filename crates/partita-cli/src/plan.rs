//! Plans in JSON: `{"mesh": [["data", 2]], "arguments": {"arg0": "data,_"}, "results": {}, "constraints": […], "complete": "propagate"}`.

use crate::error::Failure;
use crate::input;
use partita::sharding::apply::Completion;
use partita::sharding::plan::{NamedChoice, Plan};
use serde_json::{Map, Value};
use std::path::Path;

/// A plan for a program of any size fits.
const MAX_BYTES: usize = 1 << 28;

/// Reads a plan.
pub fn load(path: &Path) -> Result<Plan, Failure> {
    let file = input::name(path);
    let Some(bytes) = input::read_bytes(path, MAX_BYTES)? else {
        return Err(Failure::new("plan", format!("`{file}` is too large for a plan")).file(file));
    };
    read(&file, &bytes)
}

/// Reads a plan from what stands in a file.
pub fn read(file: &str, bytes: &[u8]) -> Result<Plan, Failure> {
    let fail = |(message, fix): (String, &str)| {
        Failure::new("plan", format!("{message} in the plan `{file}`")).file(file).fix(fix)
    };
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| fail((format!("{e}"), "write it as JSON")))?;
    plan(&value).map_err(fail)
}

type Refusal = (String, &'static str);

fn plan(value: &Value) -> Result<Plan, Refusal> {
    let Some(fields) = value.as_object() else {
        return Err(("there is no object".into(), "write `{\"mesh\": …, \"arguments\": …}`"));
    };
    let mut plan = Plan::default();
    for (key, value) in fields {
        match key.as_str() {
            "mesh" => plan.mesh = mesh(value)?,
            "arguments" => plan.arguments = named(key, value)?,
            "results" => plan.results = named(key, value)?,
            "constraints" => plan.constraints = constraints(value)?,
            "choices" => plan.choices = choices(value)?,
            "complete" => plan.complete = Some(completion(value)?),
            "schema" => {}
            _ => {
                let fix =
                    "the fields are `mesh`, `arguments`, `results`, `constraints`, `choices` and `complete`";
                return Err((format!("`{key}` is no field"), fix));
            }
        }
    }
    Ok(plan)
}

fn mesh(value: &Value) -> Result<Vec<(String, i64)>, Refusal> {
    let axis = |axis: &Value| Some((axis.get(0)?.as_str()?.to_string(), axis.get(1)?.as_i64()?));
    let axes = value.as_array().and_then(|axes| axes.iter().map(axis).collect());
    axes.ok_or(("`mesh` is no list of axes".into(), "write it as `[[\"data\", 2], [\"model\", 4]]`"))
}

fn named(key: &str, value: &Value) -> Result<Vec<(String, String)>, Refusal> {
    let fix = "write it as `{\"arg0\": \"data,_\"}`: one entry per dimension, as in `--shard`";
    let Some(fields) = value.as_object() else {
        return Err((format!("`{key}` is no object of names and shardings"), fix));
    };
    let one = |(name, dims): (&String, &Value)| match dims.as_str() {
        Some(dims) => Ok((name.clone(), dims.to_string())),
        None => Err((format!("the sharding of `{name}` under `{key}` is no text"), fix)),
    };
    fields.iter().map(one).collect()
}

fn constraints(value: &Value) -> Result<Vec<(String, String)>, Refusal> {
    let fix = "write them as `[{\"value\": \"%42\", \"spec\": \"data,_\"}]`";
    let text = |fields: &Map<String, Value>, key: &str| Some(fields.get(key)?.as_str()?.to_string());
    let one = |value: &Value| {
        let fields = value.as_object()?;
        Some((text(fields, "value")?, text(fields, "spec")?))
    };
    let list = value.as_array().and_then(|list| list.iter().map(one).collect());
    list.ok_or(("`constraints` is no list of values with a `spec`".into(), fix))
}

fn choices(value: &Value) -> Result<Vec<NamedChoice>, Refusal> {
    let one = |value: &Value| {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_string());
        let copy = match value.get("copy") {
            Some(copy) => usize::try_from(copy.as_u64()?).ok()?,
            None => 0,
        };
        Some(NamedChoice { value: text("value")?, copy, spec: text("spec")? })
    };
    let list = value.as_array().and_then(|list| list.iter().map(one).collect());
    let fix = "write them as `[{\"value\": \"%42\", \"copy\": 0, \"spec\": \"data,_\"}]`";
    list.ok_or(("`choices` is no list of values with a `spec`".into(), fix))
}

fn completion(value: &Value) -> Result<Completion, Refusal> {
    match value.as_str() {
        Some("cost") => Ok(Completion::COST),
        Some("propagate") => Ok(Completion::Propagate),
        _ => Err(("`complete` is no way to complete shardings".into(), "write `cost` or `propagate`")),
    }
}

/// The axes of a mesh as a plan has them: `[["data", 2], ["model", 4]]`.
pub fn axes_json(axes: &[(String, i64)]) -> Value {
    axes.iter().map(|(name, size)| serde_json::json!([name, size])).collect()
}

/// A plan as JSON that [`load`] reads.
pub fn json(plan: &Plan) -> Value {
    let named = |list: &[(String, String)]| -> Value {
        list.iter()
            .map(|(name, dims)| (name.clone(), Value::from(dims.clone())))
            .collect::<Map<_, _>>()
            .into()
    };
    let constraint = |(value, spec): &(String, String)| serde_json::json!({"value": value, "spec": spec});
    let mut json = serde_json::json!({
        "schema": 1,
        "mesh": axes_json(&plan.mesh),
        "arguments": named(&plan.arguments),
        "results": named(&plan.results),
        "constraints": plan.constraints.iter().map(constraint).collect::<Vec<_>>(),
    });
    if !plan.choices.is_empty() {
        let choice = |choice: &NamedChoice| serde_json::json!({"value": choice.value, "copy": choice.copy, "spec": choice.spec});
        json["choices"] = plan.choices.iter().map(choice).collect();
    }
    if let Some(complete) = plan.complete {
        json["complete"] = match complete {
            Completion::Cost(_) => "cost".into(),
            Completion::Propagate => "propagate".into(),
        };
    }
    json
}
