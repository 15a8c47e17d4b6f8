// The one place where the API and the relay start workflows. Starting twice is starting once: the id is the row's.
import { Client, Connection, WithStartWorkflowOperation, WorkflowIdConflictPolicy } from '@temporalio/client'
import { defineSearchAttributeKey, type NativeConnection, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common'
import { config } from '../../config.ts'
