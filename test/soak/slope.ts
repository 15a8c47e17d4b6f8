// A line through points with its confidence: separates growth from fluctuation.

/**
 * By least squares; `low` and `high` bound the slope with 95 % (twice its standard error, as of many points), in the
 * units of y per unit of x.
 */
export type Slope = { slope: number; low: number; high: number; points: number }

export function slopeOf(points: readonly { x: number; y: number }[]): Slope {
  const count = points.length
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / count
  const [middleX, middleY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const spread = points.reduce((sum, { x }) => sum + (x - middleX) ** 2, 0)
  if (count < 3 || spread === 0)
    return { slope: 0, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, points: count }
  const slope = points.reduce((sum, { x, y }) => sum + (x - middleX) * (y - middleY), 0) / spread
  const rest = points.reduce((sum, { x, y }) => sum + (y - middleY - slope * (x - middleX)) ** 2, 0)
  const error = Math.sqrt(rest / (count - 2) / spread)
  return { slope, low: slope - 2 * error, high: slope + 2 * error, points: count }
}
