// The tables that belong to no tenant. All other tables are read and written for one tenant.
import { Account } from '../../accounts/account.ts'
import { AccountSession } from '../../accounts/account-session.ts'
import { ApiToken } from '../../accounts/api-token.ts'
import { Challenge } from '../../accounts/challenge.ts'
import { RateWindow } from '../../accounts/rate-window.ts'
import { Erasure } from '../../erasure/erasure.ts'
import { Mail } from '../../mail/mail.ts'
import { Network } from '../../networks/network.ts'
import { ProviderEvent } from '../../payments/provider-event.ts'
import { PlatformDatum } from '../../platform/platform-datum.ts'
import { ScriptRun } from '../../platform/script-run.ts'
import { TaskWorker } from '../../platform/task-worker.ts'
import { PortalConfiguration } from '../../portal/portal-configuration.ts'
import { OutboxRow } from '../outbox-row.ts'

/** Short-lived rows of sign-in, and rows of the whole installation. */
export const globalEntities = [
  Account,
  AccountSession,
  ApiToken,
  Challenge,
  Erasure,
  Mail,
  Network,
  OutboxRow,
  PlatformDatum,
  PortalConfiguration,
  ProviderEvent,
  RateWindow,
  ScriptRun,
  TaskWorker,
]
