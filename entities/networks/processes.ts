// The process that brings the listings of a tenant's records up to date.
import { process } from '../kit/process.ts'
import { lateWalks } from './listing-walks.ts'

export const networkProcesses = [process('listings', { late: [lateWalks], attention: {} })] as const
