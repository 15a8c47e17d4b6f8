// Identifiers are UUIDv7, made by us: they sort by the time they were made, and no table needs a counter.
export { v7 as newId } from 'uuid'
