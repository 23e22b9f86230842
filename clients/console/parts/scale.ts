// Maps values to chart coordinates. Pure, so that it can be property-tested.

/** Round steps from 0 to at least the largest value: 1, 2 or 5 times a power of ten. */
export function roundSteps(largest: number, steps_wanted = 4): readonly number[] {
  if (!(largest > 0) || !Number.isFinite(largest)) return [0, 1]
  const rough = largest / steps_wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? rough
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** An SVG path through the points, with gaps for missing values. */
export function linePath(
  values: readonly (number | null)[],
  width: number,
  height: number,
  largest: number,
): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0
  let is_drawing = false
  return values
    .map((value, index) => {
      if (value === null) {
        is_drawing = false
        return ''
      }
      const x = (index * step).toFixed(1)
      const y = (height - (largest > 0 ? (value / largest) * height : 0)).toFixed(1)
      const command = is_drawing ? 'L' : 'M'
      is_drawing = true
      return `${command}${x} ${y}`
    })
    .join('')
}
