// The states of an execution and of its nodes, and what starts it.
import { z } from 'zod'

export const ExecutionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

export const ExecutionSource = z.enum(['webhook', 'schedule', 'event'])
export type ExecutionSource = z.infer<typeof ExecutionSource>

export const NodeStatus = z.enum(['pending', 'running', 'completed', 'failed', 'skipped', 'cancelled', 'unknown'])
