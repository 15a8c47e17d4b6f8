// Every route of the API, in one table.
import { locations } from './stores/locations.ts'

export const routes = [...locations]
