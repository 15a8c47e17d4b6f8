// The process of maintenance scripts.
import { process } from '../kit/process.ts'
import { lateScripts } from './script-runs.ts'

export const platformProcesses = [process('script', { late: [lateScripts], attention: {} })] as const
