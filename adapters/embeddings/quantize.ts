// The stored form of a vector: normalized, times 127. A vector without direction is all zero.
export function lengthOneInt8(values: ArrayLike<number>): Int8Array {
  // Divided by the largest value first, or squares of very large and very small values would be lost.
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
