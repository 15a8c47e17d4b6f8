// Automation graphs.
export const workflows = [] as const
