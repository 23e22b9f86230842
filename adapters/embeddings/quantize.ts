// How every vector is kept: of length one, times 127. What has no direction is all zero and near nothing.
export function lengthOneInt8(values: ArrayLike<number>): Int8Array {
  // Divided by the largest first, or very large and very small values would lose their squares.
  let largest = 0
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!))
  const rounded = new Int8Array(values.length)
  if (largest === 0) return rounded
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i]! / largest) ** 2
  const factor = 127 / Math.sqrt(squares)
  for (let i = 0; i < values.length; i++) rounded[i] = Math.round((values[i]! / largest) * factor)
  return rounded
}
