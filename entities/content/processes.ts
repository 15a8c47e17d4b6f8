// The process of files: images get their sizes, and deleted files are removed.
import { process } from '../kit/process.ts'
import { lateMedia } from './media-rows.ts'

export const contentProcesses = [process('media', { late: [lateMedia], attention: {} })] as const
