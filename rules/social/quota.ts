// The quota of network c's app: units of a Pacific day, which all stores of the installation share.

/** What network c charges for a call, in units of its app's quota of a Pacific day. */
export const quotaCosts = { read: 1, reply: 50 } as const
/** Reads get six tenths of the quota, and one store a tenth of those. */
export const quotaLimits = { reads: 6_000, reads_of_store: 600, writes: 4_000 } as const
