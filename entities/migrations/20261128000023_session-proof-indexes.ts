import { Migration } from '@mikro-orm/migrations';

const indexes = {
  contact_sessions_previous: `"contact_sessions" ("previous_digest") where previous_digest is not null`,
  contact_merges_tenant_id_target_id_index: `"contact_merges" ("tenant_id", "target_id")`,
}

export class Migration20261128000023_session_proof_indexes extends Migration {

  override name = 'Migration20261128000023_session-proof-indexes';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const [name, on] of Object.entries(indexes)) {
      this.addSql(`drop index concurrently if exists "${name}";`);
      this.addSql(`create index concurrently "${name}" on ${on};`);
    }
  }

  override down(): void | Promise<void> {
    for (const name of Object.keys(indexes)) this.addSql(`drop index concurrently if exists "${name}";`);
  }

}
