// The output of a node as it is stored with its run, and the error of a node that fails.
import { storable } from '../../rules/input/storable.ts'
import type { Verdict } from '../kit/once.ts'

/** Bytes of JSON of one output. */
export const OUTPUT_MAX = 1_048_576

/** A node failed: the execution continues along its `error` output or ends. */
export class NodeError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** An output as it is stored. Throws NodeError output_too_large. */
export function storedOutput(value: unknown): { output: unknown; output_bytes: number } {
  const output = storable(value ?? null)
  const output_bytes = Buffer.byteLength(JSON.stringify(output))
  if (output_bytes > OUTPUT_MAX)
    throw new NodeError('output_too_large', `the output is longer than ${OUTPUT_MAX / 1_024} KiB`)
  return { output, output_bytes }
}

/** What a send proves, and what later nodes read of it; null for nothing. */
export type Sent = { verdict: Verdict; output: unknown }

/** The verdict, with the output in the same write. */
export function verdictWithOutput({ verdict, output }: Sent): Verdict {
  if (verdict.kind === 'not_sent' || output === null) return verdict
  try {
    const { output: value, output_bytes } = storedOutput(output)
    return { ...verdict, columns: { ...verdict.columns, output: JSON.stringify(value), output_bytes } }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { ...verdict, error: { code: error.code, message: error.message } }
  }
}
