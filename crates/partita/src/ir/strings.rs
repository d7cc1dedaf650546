//! Interned strings: attribute names, symbols, axis and value names.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An interned string of one module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sym(pub(crate) u32);

impl std::fmt::Debug for Sym {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match names::ALL.get(self.0 as usize) {
            Some(name) => write!(f, "{name:?}"),
            None => write!(f, "sym{}", self.0),
        }
    }
}

/// The strings of a module, each stored once. The names in [`names`] have the same symbol everywhere.
#[derive(Clone, Debug)]
pub struct Strings {
    strings: Vec<Arc<str>>,
    symbols: FxHashMap<Arc<str>, Sym>,
}

impl Strings {
    /// The symbol of a string, new or known.
    pub fn intern(&mut self, text: &str) -> Sym {
        if let Some(&sym) = self.symbols.get(text) {
            return sym;
        }
        let shared: Arc<str> = text.into();
        let sym = Sym(u32::try_from(self.strings.len()).expect("more than four billion strings"));
        self.strings.push(shared.clone());
        self.symbols.insert(shared, sym);
        sym
    }

    /// The symbol of a string that may not occur in the module.
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.symbols.get(text).copied()
    }
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Strings { strings: Vec::new(), symbols: FxHashMap::default() };
        for name in names::ALL {
            strings.intern(name);
        }
        strings
    }
}

impl std::ops::Index<Sym> for Strings {
    type Output = str;
    fn index(&self, sym: Sym) -> &str {
        &self.strings[sym.0 as usize]
    }
}

/// Names the compiler itself uses, with the same symbol in each module.
pub mod names {
    use super::Sym;

    macro_rules! names {
        ($($ident:ident = $text:literal,)*) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Position { $($ident,)* }
            $(#[doc = concat!("`", $text, "`")] pub const $ident: Sym = Sym(Position::$ident as u32);)*
            pub(super) const ALL: &[&str] = &[$($text,)*];
        };
    }

    names! {
        EMPTY = "",
        A = "a",
        ALGORITHM = "algorithm",
        ALL_GATHER_DIM = "all_gather_dim",
        ALLOWED_AXES = "allowed_axes",
        API_VERSION = "api_version",
        BACKEND_CONFIG = "backend_config",
        BATCH_GROUP_COUNT = "batch_group_count",
        BROADCAST_DIMENSIONS = "broadcast_dimensions",
        BROADCAST_SIZES = "broadcast_sizes",
        CALLEE = "callee",
        CALL_TARGET_NAME = "call_target_name",
        CALLED_COMPUTATIONS = "called_computations",
        CHANNEL_HANDLE = "channel_handle",
        CHANNEL_ID = "channel_id",
        COMPARE_TYPE = "compare_type",
        COMPARISON_DIRECTION = "comparison_direction",
        COMPOSITE_ATTRIBUTES = "composite_attributes",
        CONCAT_DIMENSION = "concat_dimension",
        DECOMPOSITION = "decomposition",
        DIMENSION = "dimension",
        DIMENSION_NUMBERS = "dimension_numbers",
        DIMENSIONS = "dimensions",
        DOT_DIMENSION_NUMBERS = "dot_dimension_numbers",
        EDGE_PADDING_HIGH = "edge_padding_high",
        EDGE_PADDING_LOW = "edge_padding_low",
        EINSUM_CONFIG = "einsum_config",
        EPSILON = "epsilon",
        EXPONENT_BITS = "exponent_bits",
        FEATURE_GROUP_COUNT = "feature_group_count",
        FEATURE_INDEX = "feature_index",
        FFT_LENGTH = "fft_length",
        FFT_TYPE = "fft_type",
        FUNCTION_TYPE = "function_type",
        HAS_SIDE_EFFECT = "has_side_effect",
        INDEX = "index",
        INDEX_VECTOR_DIM = "index_vector_dim",
        INDICES_ARE_SORTED = "indices_are_sorted",
        INFEED_CONFIG = "infeed_config",
        INTERIOR_PADDING = "interior_padding",
        IOTA_DIMENSION = "iota_dimension",
        IS_DIM_SPLIT = "is_dim_split",
        IS_HOST_TRANSFER = "is_host_transfer",
        IS_STABLE = "is_stable",
        JAX_RESULT_INFO = "jax.result_info",
        K = "k",
        LAYOUT = "layout",
        LEFT_SIDE = "left_side",
        LHS_DILATION = "lhs_dilation",
        LIMIT_INDICES = "limit_indices",
        LOWER = "lower",
        MANTISSA_BITS = "mantissa_bits",
        MHLO_BACKEND_CONFIG = "mhlo.backend_config",
        MHLO_FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes",
        MHLO_NUM_PARTITIONS = "mhlo.num_partitions",
        MHLO_NUM_REPLICAS = "mhlo.num_replicas",
        MHLO_SHARDING = "mhlo.sharding",
        NAME = "name",
        NUM_DIMS = "num_dims",
        NUM_PARTITIONS = "num_partitions",
        OPERAND_LAYOUTS = "operand_layouts",
        OUTFEED_CONFIG = "outfeed_config",
        OUTPUT_OPERAND_ALIASES = "output_operand_aliases",
        PADDING = "padding",
        PERMUTATION = "permutation",
        PRECISION_CONFIG = "precision_config",
        PROGRAMS = "programs",
        PROBE_ID = "probe_id",
        REPLICA_GROUPS = "replica_groups",
        RESULT_ACCURACY = "result_accuracy",
        RESULT_LAYOUTS = "result_layouts",
        RHS_DILATION = "rhs_dilation",
        RNG_ALGORITHM = "rng_algorithm",
        RNG_DISTRIBUTION = "rng_distribution",
        SCATTER_DIMENSION = "scatter_dimension",
        SCATTER_DIMENSION_NUMBERS = "scatter_dimension_numbers",
        SDY_SHARDING = "sdy.sharding",
        SDY_SHARDING_RULE = "sdy.sharding_rule",
        SLICE_SIZES = "slice_sizes",
        SOURCE_TARGET_PAIRS = "source_target_pairs",
        SPLIT_COUNT = "split_count",
        SPLIT_DIMENSION = "split_dimension",
        START_INDICES = "start_indices",
        STRIDES = "strides",
        TF_ALIASING_OUTPUT = "tf.aliasing_output",
        JAX_BUFFER_DONOR = "jax.buffer_donor",
        TRANSPOSE_A = "transpose_a",
        UNIQUE_INDICES = "unique_indices",
        UNIT_DIAGONAL = "unit_diagonal",
        UPDATE_ALLOWED = "update_allowed",
        USE_GLOBAL_DEVICE_IDS = "use_global_device_ids",
        VALUE = "value",
        VERSION = "version",
        WINDOW_DILATIONS = "window_dilations",
        WINDOW_DIMENSIONS = "window_dimensions",
        WINDOW_REVERSAL = "window_reversal",
        WINDOW_STRIDES = "window_strides",
        BASE_DILATIONS = "base_dilations",
        RAGGED_DOT_DIMENSION_NUMBERS = "ragged_dot_dimension_numbers",
        SHARDING = "sharding",
        IN_SHARDINGS = "in_shardings",
        OUT_SHARDINGS = "out_shardings",
        MANUAL_AXES = "manual_axes",
        MESH = "mesh",
        GROUP_ID = "group_id",
        ALLOWED_DIRECTION = "allowed_direction",
        SYM_NAME = "sym_name",
        MIN_ULP_DIFFERENCE = "min_ulp_difference",
        MAX_ULP_DIFFERENCE = "max_ulp_difference",
        TOLERANCE = "tolerance",
        MHLO_ATTRIBUTES = "mhlo.attributes",
        MHLO_VERSION = "mhlo.version",
        IS_ASSOCIATIVE = "is_associative",
        IS_REVERSE = "is_reverse",
        SCAN_DIM_SIZE = "scan_dim_size",
        OPERAND_SEGMENT_SIZES = "operandSegmentSizes",
        RESULT_SEGMENT_SIZES = "resultSegmentSizes",
        RESULT_TILINGS = "result_tilings",
        SYM_VISIBILITY = "sym_visibility",
        ARG_ATTRS = "arg_attrs",
        RES_ATTRS = "res_attrs",
        AXES = "axes",
        GATHERING_AXES = "gathering_axes",
        OUT_SHARDING = "out_sharding",
        PARAMS = "params",
        REDUCE_SCATTER_AXES = "reduce_scatter_axes",
        REDUCTION_AXES = "reduction_axes",
        SLICING_AXES = "slicing_axes",
        INFEED = "infeed",
        ITERATION = "iteration",
        HAS_DYNAMIC_ROOT = "has_dynamic_root",
        NO_INLINE = "no_inline",
        DIM = "dim",
        BATCH_DIMS = "batch_dims",
        KNOWN_EXPANDING_DIMENSIONS = "known_expanding_dimensions",
        KNOWN_NONEXPANDING_DIMENSIONS = "known_nonexpanding_dimensions",
        PARTITA_SHARD_LIKE = "partita.shard_like",
        PARTITA_MESH = "partita.mesh",
        PARTITA_DEVICES = "partita.devices",
        PARTITA_GLOBAL_TYPE = "partita.global_type",
        PARTITA_SHARDING = "partita.sharding",
    }
}
