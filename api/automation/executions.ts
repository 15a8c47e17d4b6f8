// Executions of graphs.
export const executions = [] as const
