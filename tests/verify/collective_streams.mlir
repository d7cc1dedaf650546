// Messages, queues and asynchronous operations.
func.func @accepted(%x: tensor<2xf32>, %t: !stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.send"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  %2:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %3 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token
  %4:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  %5 = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  %6 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %c = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %c : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  %7 = "stablehlo.async_done"(%6) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  return
}
// -----
func.func @send_order(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: operand 0 must be a tensor
  %0 = "stablehlo.send"(%t, %x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
  return
}
// -----
func.func @send_token(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the last operand must be a token, but it is `tensor<2xf32>`
  %0 = "stablehlo.send"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> !stablehlo.token
  return
}
// -----
func.func @send_result(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: result 0 is `tensor<f32>`
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> tensor<f32>
  return
}
// -----
func.func @send_channel(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the attribute `channel_handle` is missing
  %0 = "stablehlo.send"(%x, %t) <{is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_host_type(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: channel 1 has the type 1, but with `is_host_transfer = true` it must be 2
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_device_type(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: channel 1 has the type 2, but with `is_host_transfer = false` it must be 1
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_columns(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: `source_target_pairs` must have 2 columns
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_sources(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: 0 is the source of two pairs
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_targets(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: 1 is the target of two pairs
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @send_negative(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: -1 in `source_target_pairs` is not the id of a device
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @receive_operand(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the operand must be a token, but it is `tensor<2xf32>`
  %0:2 = "stablehlo.recv"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// -----
func.func @receive_nothing(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: expected at least 1 results, found 0
  "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false}> : (!stablehlo.token) -> ()
  return
}
// -----
func.func @receive_payload(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: result 0 must be a tensor
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}
// -----
func.func @receive_token(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the last result must be a token
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
func.func @receive_host_type(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: channel 1 has the type 2, but with `is_host_transfer = true` it must be 3
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// -----
func.func @receive_device_type(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: channel 1 has the type 3, but with `is_host_transfer = false` it must be 1
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = false}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// -----
func.func @receive_pairs(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: 1 is the target of two pairs
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// -----
func.func @infeed_operand(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the operand must be a token
  %0 = "stablehlo.infeed"(%x) : (tensor<2xf32>) -> !stablehlo.token
  return
}
// -----
func.func @infeed_nothing(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: expected at least 1 results, found 0
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}
// -----
func.func @infeed_payload(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: result 0 must be a tensor
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}
// -----
func.func @infeed_token(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the last result must be a token
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<2xf32>
  return
}
// -----
func.func @infeed_layouts(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: there are 1 layouts for 0 tensors
  %0 = "stablehlo.infeed"(%t) <{layout = [[0]]}> : (!stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @infeed_layout(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: layout 0 must be a list of dimensions
  %0:2 = "stablehlo.infeed"(%t) <{layout = ["rows"]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}
// -----
func.func @outfeed_token(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the last operand must be a token
  %0 = "stablehlo.outfeed"(%x) : (tensor<2xf32>) -> !stablehlo.token
  return
}
// -----
func.func @outfeed_result(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: result 0 is `tensor<f32>`
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<2xf32>, !stablehlo.token) -> tensor<f32>
  return
}
// -----
func.func @start_two(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the body must hold one operation and a return, but it holds 2
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %c = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    %2 = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %c : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}
// -----
func.func @start_other(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: `stablehlo.negate` cannot be started
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %c = stablehlo.negate %a : tensor<2xf32>
    stablehlo.return %c : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// -----
func.func @start_arguments(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the body takes 2 values, but the operation brings 1
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %c = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %c : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}
// -----
func.func @start_result(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: result 0 is `!stablehlo.future<tensor<2xf32>>`
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<2xf32>):
    %c = stablehlo.slice %a [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %c : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// -----
func.func @done_operand(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // error: the operand must be a future, but it is `tensor<2xf32>`
  %0 = "stablehlo.async_done"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}
// -----
func.func @done_result(%f: !stablehlo.future<tensor<2xf32>>) {
  // error: result 0 is `tensor<3xf32>`
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<3xf32>
  return
}
