// The processes of imports into campaigns.
import { process } from '../kit/process.ts'
import { lateImports } from './imports.ts'

export const campaignProcesses = [process('enrollment_import', { late: [lateImports], attention: {} })] as const
