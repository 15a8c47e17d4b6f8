// Drives that graphs upload to.
export const connections = [] as const
