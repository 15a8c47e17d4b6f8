// The folder of tools that are built or fetched once.
import os from 'node:os'
import path from 'node:path'

export const cacheFolder = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'tillwright')
