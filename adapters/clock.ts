// The wall clock. Rules and entities take the time as an argument; processes read it here.

/** Unix seconds. */
export const unixNow = (): number => Math.floor(Date.now() / 1000)
