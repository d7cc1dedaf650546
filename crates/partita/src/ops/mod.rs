//! The op table: one row per op, one file per family.
//!
//! Everything Partita knows about an op stands in its row: the text form, the types, the constraints of the
//! specification, the reference evaluation, the work. No other module matches on op names.

pub(crate) mod check;
pub(crate) mod combiner;
mod counted;
pub mod def;
pub mod edge;
pub(crate) mod forms;
pub mod linear;
pub mod local;
pub mod lookup;
pub mod ordered;
pub mod rule;
mod sharding;
pub mod spread;
pub mod stages;
pub mod unit;
pub(crate) mod window;
pub mod written;

mod chlo;
pub(crate) mod collective;
mod contract;
mod control;
mod custom_call;
mod dynamic;
mod elementwise;
mod func;
mod indexing;
mod linalg;
mod normalise;
mod random;
mod reduce;
mod shape;
mod shardy;
mod testing;

pub use counted::trip_count;
pub use def::{
    AttrDef, AttrKind, Count, ElementCx, Eval, OpDef, OpError, Traits, Work, bytes_moved, elementwise_work,
    moving_work, no_work, optional, required,
};

pub use sharding::call::CallRules;
pub use sharding::combine;
pub(crate) use sharding::iota::{KnownIndices, known_indices};
pub use spread::{Flow, Spread};
pub use unit::Unit;

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

macro_rules! op_table {
    ($($kind:ident = $row:path,)*) => {
        /// Which op an operation is: a row of the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        #[allow(missing_docs, reason = "each row has its documentation")]
        pub enum OpKind { $($kind,)* }

        static TABLE: &[&OpDef] = &[$(&$row,)*];
        static KINDS: &[OpKind] = &[$(OpKind::$kind,)*];
    };
}

op_table! {
    Abs = elementwise::ABS,
    Cbrt = elementwise::CBRT,
    Ceil = elementwise::CEIL,
    Convert = elementwise::CONVERT,
    Cosine = elementwise::COSINE,
    CountLeadingZeros = elementwise::COUNT_LEADING_ZEROS,
    Exponential = elementwise::EXPONENTIAL,
    ExponentialMinusOne = elementwise::EXPONENTIAL_MINUS_ONE,
    Floor = elementwise::FLOOR,
    Imag = elementwise::IMAG,
    IsFinite = elementwise::IS_FINITE,
    Log = elementwise::LOG,
    LogPlusOne = elementwise::LOG_PLUS_ONE,
    Logistic = elementwise::LOGISTIC,
    Negate = elementwise::NEGATE,
    Not = elementwise::NOT,
    Popcnt = elementwise::POPCNT,
    Real = elementwise::REAL,
    ReducePrecision = elementwise::REDUCE_PRECISION,
    RoundNearestAfz = elementwise::ROUND_NEAREST_AFZ,
    RoundNearestEven = elementwise::ROUND_NEAREST_EVEN,
    Rsqrt = elementwise::RSQRT,
    Sign = elementwise::SIGN,
    Sine = elementwise::SINE,
    Sqrt = elementwise::SQRT,
    Tan = elementwise::TAN,
    Tanh = elementwise::TANH,
    UniformDequantize = elementwise::UNIFORM_DEQUANTIZE,
    UniformQuantize = elementwise::UNIFORM_QUANTIZE,
    Add = elementwise::ADD,
    And = elementwise::AND,
    Atan2 = elementwise::ATAN2,
    Compare = elementwise::COMPARE,
    Complex = elementwise::COMPLEX,
    Divide = elementwise::DIVIDE,
    Maximum = elementwise::MAXIMUM,
    Minimum = elementwise::MINIMUM,
    Multiply = elementwise::MULTIPLY,
    Or = elementwise::OR,
    Power = elementwise::POWER,
    Remainder = elementwise::REMAINDER,
    ShiftLeft = elementwise::SHIFT_LEFT,
    ShiftRightArithmetic = elementwise::SHIFT_RIGHT_ARITHMETIC,
    ShiftRightLogical = elementwise::SHIFT_RIGHT_LOGICAL,
    Subtract = elementwise::SUBTRACT,
    Xor = elementwise::XOR,
    Clamp = elementwise::CLAMP,
    Select = elementwise::SELECT,
    ChloAsinAcosKernel = chlo::ASIN_ACOS_KERNEL,
    ChloAcos = chlo::ACOS,
    ChloAcosh = chlo::ACOSH,
    ChloAsin = chlo::ASIN,
    ChloAsinh = chlo::ASINH,
    ChloAtan = chlo::ATAN,
    ChloAtanh = chlo::ATANH,
    ChloBesselI1e = chlo::BESSEL_I1E,
    ChloConj = chlo::CONJ,
    ChloConstantLike = chlo::CONSTANT_LIKE,
    ChloCosh = chlo::COSH,
    ChloDigamma = chlo::DIGAMMA,
    ChloErf = chlo::ERF,
    ChloErfInv = chlo::ERF_INV,
    ChloErfc = chlo::ERFC,
    ChloIsInf = chlo::IS_INF,
    ChloIsNegInf = chlo::IS_NEG_INF,
    ChloIsPosInf = chlo::IS_POS_INF,
    ChloLgamma = chlo::LGAMMA,
    ChloSinh = chlo::SINH,
    ChloSquare = chlo::SQUARE,
    ChloTan = chlo::TAN,
    ChloTopK = chlo::TOP_K,
    ChloConstant = chlo::CONSTANT,
    ChloBroadcastAdd = chlo::BROADCAST_ADD,
    ChloBroadcastAnd = chlo::BROADCAST_AND,
    ChloBroadcastAtan2 = chlo::BROADCAST_ATAN2,
    ChloBroadcastCompare = chlo::BROADCAST_COMPARE,
    ChloBroadcastComplex = chlo::BROADCAST_COMPLEX,
    ChloBroadcastDivide = chlo::BROADCAST_DIVIDE,
    ChloBroadcastMaximum = chlo::BROADCAST_MAXIMUM,
    ChloBroadcastMinimum = chlo::BROADCAST_MINIMUM,
    ChloBroadcastMultiply = chlo::BROADCAST_MULTIPLY,
    ChloBroadcastNextAfter = chlo::BROADCAST_NEXT_AFTER,
    ChloBroadcastOr = chlo::BROADCAST_OR,
    ChloBroadcastPolygamma = chlo::BROADCAST_POLYGAMMA,
    ChloBroadcastPower = chlo::BROADCAST_POWER,
    ChloBroadcastRemainder = chlo::BROADCAST_REMAINDER,
    ChloBroadcastShiftLeft = chlo::BROADCAST_SHIFT_LEFT,
    ChloBroadcastShiftRightArithmetic = chlo::BROADCAST_SHIFT_RIGHT_ARITHMETIC,
    ChloBroadcastShiftRightLogical = chlo::BROADCAST_SHIFT_RIGHT_LOGICAL,
    ChloBroadcastSubtract = chlo::BROADCAST_SUBTRACT,
    ChloBroadcastXor = chlo::BROADCAST_XOR,
    ChloBroadcastZeta = chlo::BROADCAST_ZETA,
    ChloMulhi = chlo::MULHI,
    ChloNextAfter = chlo::NEXT_AFTER,
    ChloPolygamma = chlo::POLYGAMMA,
    ChloZeta = chlo::ZETA,
    ChloBroadcastSelect = chlo::BROADCAST_SELECT,
    ChloRaggedDot = chlo::RAGGED_DOT,
    ChloScan = chlo::SCAN,
    Constant = shape::CONSTANT,
    Iota = shape::IOTA,
    BitcastConvert = shape::BITCAST_CONVERT,
    Broadcast = shape::BROADCAST,
    BroadcastInDim = shape::BROADCAST_IN_DIM,
    GetDimensionSize = shape::GET_DIMENSION_SIZE,
    Reshape = shape::RESHAPE,
    Reverse = shape::REVERSE,
    Slice = shape::SLICE,
    Transpose = shape::TRANSPOSE,
    Pad = shape::PAD,
    SetDimensionSize = shape::SET_DIMENSION_SIZE,
    Concatenate = shape::CONCATENATE,
    DynamicSlice = shape::DYNAMIC_SLICE,
    DynamicUpdateSlice = shape::DYNAMIC_UPDATE_SLICE,
    DynamicBroadcastInDim = dynamic::DYNAMIC_BROADCAST_IN_DIM,
    DynamicConv = dynamic::DYNAMIC_CONV,
    DynamicGather = dynamic::DYNAMIC_GATHER,
    DynamicIota = dynamic::DYNAMIC_IOTA,
    DynamicPad = dynamic::DYNAMIC_PAD,
    DynamicReshape = dynamic::DYNAMIC_RESHAPE,
    RealDynamicSlice = dynamic::REAL_DYNAMIC_SLICE,
    Gather = indexing::GATHER,
    Scatter = indexing::SCATTER,
    TorchIndexSelect = indexing::TORCH_INDEX_SELECT,
    Dot = contract::DOT,
    DotGeneral = contract::DOT_GENERAL,
    Einsum = contract::EINSUM,
    Convolution = contract::CONVOLUTION,
    UnaryEinsum = contract::UNARY_EINSUM,
    Map = reduce::MAP,
    Reduce = reduce::REDUCE,
    ReduceWindow = reduce::REDUCE_WINDOW,
    SelectAndScatter = reduce::SELECT_AND_SCATTER,
    Sort = reduce::SORT,
    BatchNormGrad = normalise::BATCH_NORM_GRAD,
    BatchNormInference = normalise::BATCH_NORM_INFERENCE,
    BatchNormTraining = normalise::BATCH_NORM_TRAINING,
    Cholesky = linalg::CHOLESKY,
    Fft = linalg::FFT,
    TriangularSolve = linalg::TRIANGULAR_SOLVE,
    Rng = random::RNG,
    RngBitGenerator = random::RNG_BIT_GENERATOR,
    Composite = custom_call::COMPOSITE,
    CustomCall = custom_call::CUSTOM_CALL,
    AfterAll = control::AFTER_ALL,
    Case = control::CASE,
    CreateToken = control::CREATE_TOKEN,
    GetTupleElement = control::GET_TUPLE_ELEMENT,
    If = control::IF,
    OptimizationBarrier = control::OPTIMIZATION_BARRIER,
    Return = control::RETURN,
    Tuple = control::TUPLE,
    While = control::WHILE,
    FuncCall = func::CALL,
    FuncReturn = func::RETURN,
    AllGather = collective::ALL_GATHER,
    AllReduce = collective::ALL_REDUCE,
    AllToAll = collective::ALL_TO_ALL,
    AsyncDone = collective::ASYNC_DONE,
    AsyncStart = collective::ASYNC_START,
    CollectiveBroadcast = collective::COLLECTIVE_BROADCAST,
    CollectivePermute = collective::COLLECTIVE_PERMUTE,
    CollectiveReduce = collective::COLLECTIVE_REDUCE,
    Infeed = collective::INFEED,
    Outfeed = collective::OUTFEED,
    PartitionId = collective::PARTITION_ID,
    Recv = collective::RECV,
    ReduceScatter = collective::REDUCE_SCATTER,
    ReplicaId = collective::REPLICA_ID,
    Send = collective::SEND,
    SdyAllGather = shardy::ALL_GATHER,
    SdyAllReduce = shardy::ALL_REDUCE,
    SdyAllSlice = shardy::ALL_SLICE,
    SdyAllToAll = shardy::ALL_TO_ALL,
    SdyCollectivePermute = shardy::COLLECTIVE_PERMUTE,
    SdyConstant = shardy::CONSTANT,
    SdyDataFlowEdge = shardy::DATA_FLOW_EDGE,
    SdyFuncDataFlowEdge = shardy::FUNC_DATA_FLOW_EDGE,
    SdyManualComputation = shardy::MANUAL_COMPUTATION,
    SdyNamedComputation = shardy::NAMED_COMPUTATION,
    SdyPropagationBarrier = shardy::PROPAGATION_BARRIER,
    SdyReduceScatter = shardy::REDUCE_SCATTER,
    SdyReplicatedToUnreduced = shardy::REPLICATED_TO_UNREDUCED,
    SdyReshard = shardy::RESHARD,
    SdyReturn = shardy::RETURN,
    SdyShardedToUnreduced = shardy::SHARDED_TO_UNREDUCED,
    SdyShardingConstraint = shardy::SHARDING_CONSTRAINT,
    SdyShardingGroup = shardy::SHARDING_GROUP,
    CheckExpectAlmostEq = testing::EXPECT_ALMOST_EQ,
    CheckExpectAlmostEqConst = testing::EXPECT_ALMOST_EQ_CONST,
    CheckExpectClose = testing::EXPECT_CLOSE,
    CheckExpectEq = testing::EXPECT_EQ,
    CheckExpectEqConst = testing::EXPECT_EQ_CONST,
    CheckExpectSerializedEq = testing::EXPECT_SERIALIZED_EQ,
    InterpreterPrint = testing::PRINT,
    InterpreterProbe = testing::PROBE,
    InterpreterRunParallel = testing::RUN_PARALLEL,
}

/// What a function ends with: JAX lets the functions that custom calls name end as regions do.
pub(crate) const FUNCTION_ENDS: &[OpKind] = &[OpKind::FuncReturn, OpKind::Return];

impl OpKind {
    /// The row.
    pub fn def(self) -> &'static OpDef {
        TABLE[self as usize]
    }

    /// The op with this name, such as `stablehlo.add`.
    pub fn from_name(name: &str) -> Option<OpKind> {
        static NAMES: LazyLock<FxHashMap<&'static str, OpKind>> =
            LazyLock::new(|| OpKind::all().map(|kind| (kind.def().name, kind)).collect());
        // Inside functions the dialect of calls and returns may be left out.
        match name {
            "return" => NAMES.get("func.return").copied(),
            "call" => NAMES.get("func.call").copied(),
            _ => NAMES.get(name).copied(),
        }
    }

    /// All ops in the order of the table.
    pub fn all() -> impl Iterator<Item = OpKind> {
        KINDS.iter().copied()
    }
}
