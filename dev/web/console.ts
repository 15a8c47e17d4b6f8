// The console, which the API serves at /console/ as soon as it is built.
import { build } from './build.ts'

export const buildConsole = (): Promise<void> => build('console', ['client/client.ts', 'client/api.ts'])
