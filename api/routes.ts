// Every route of the API, in one table.
import { accounts } from './accounts/accounts.ts'
import { apiTokens } from './accounts/api-tokens.ts'
import { auth } from './accounts/auth.ts'
import { sessions } from './accounts/sessions.ts'
import { visitors } from './crm/visitors.ts'
import { locations } from './stores/locations.ts'
import { members } from './stores/members.ts'
import { storefrontStore } from './stores/storefront.ts'
import { stores } from './stores/stores.ts'

export const routes = [...locations, ...accounts, ...apiTokens, ...auth, ...members, ...sessions, ...storefrontStore, ...stores, ...visitors]
