// The processes of imports into campaigns.
import type { ProcessRows } from '../kit/process.ts'
import { lateImports } from './imports.ts'

export const campaignProcesses = {
  enrollment_import: { late: [lateImports], attention: {} },
} satisfies Record<string, ProcessRows>
