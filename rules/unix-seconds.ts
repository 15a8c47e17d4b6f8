// Times of the database as the API answers them.

/** Unix seconds, rounded down; null for no time. */
export const unixSecondsOf = (time: Date | null | undefined): number | null =>
  time ? Math.floor(time.getTime() / 1000) : null
