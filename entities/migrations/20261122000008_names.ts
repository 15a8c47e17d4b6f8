import { Migration } from '@mikro-orm/migrations';

/** Tables and columns get the names that the rest of the code uses. Processes of the version before must be stopped first (CHANGELOG, 0.2.0). */
export class Migration20261122000008_names extends Migration {

  override name = 'Migration20261122000008_names';

  override up(): void | Promise<void> {
    this.addSql(`alter table "memberships" rename to "team_members";`);
    this.addSql(`alter index "memberships_pkey" rename to "team_members_pkey";`);
    this.addSql(`alter index "memberships_account_id_index" rename to "team_members_account_id_index";`);
    this.addSql(`alter table "team_members" rename constraint "memberships_tenant_id_account_id_unique" to "team_members_tenant_id_account_id_unique";`);
    this.addSql(`alter table "team_members" rename constraint "memberships_account_id_foreign" to "team_members_account_id_foreign";`);
    this.addSql(`alter table "team_members" rename constraint "memberships_role_check" to "team_members_role_check";`);
    this.addSql(`alter table "connections" rename to "integrations";`);
    this.addSql(`alter index "connections_pkey" rename to "integrations_pkey";`);
    this.addSql(`alter index "connections_tenant_id_created_at_id_index" rename to "integrations_tenant_id_created_at_id_index";`);
    this.addSql(`alter index "connections_tenant_id_updated_at_id_index" rename to "integrations_tenant_id_updated_at_id_index";`);
    this.addSql(`alter table "integrations" rename constraint "connections_tenant_id_key_unique" to "integrations_tenant_id_key_unique";`);
    this.addSql(`alter table "integrations" rename constraint "connections_type_check" to "integrations_type_check";`);
    this.addSql(`alter table "node_runs" rename column "asked" to "params";`);
    this.addSql(`alter table "node_runs" rename column "taken" to "branch";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "node_runs" rename column "branch" to "taken";`);
    this.addSql(`alter table "node_runs" rename column "params" to "asked";`);
    this.addSql(`alter table "integrations" rename constraint "integrations_type_check" to "connections_type_check";`);
    this.addSql(`alter table "integrations" rename constraint "integrations_tenant_id_key_unique" to "connections_tenant_id_key_unique";`);
    this.addSql(`alter index "integrations_tenant_id_updated_at_id_index" rename to "connections_tenant_id_updated_at_id_index";`);
    this.addSql(`alter index "integrations_tenant_id_created_at_id_index" rename to "connections_tenant_id_created_at_id_index";`);
    this.addSql(`alter index "integrations_pkey" rename to "connections_pkey";`);
    this.addSql(`alter table "integrations" rename to "connections";`);
    this.addSql(`alter table "team_members" rename constraint "team_members_role_check" to "memberships_role_check";`);
    this.addSql(`alter table "team_members" rename constraint "team_members_account_id_foreign" to "memberships_account_id_foreign";`);
    this.addSql(`alter table "team_members" rename constraint "team_members_tenant_id_account_id_unique" to "memberships_tenant_id_account_id_unique";`);
    this.addSql(`alter index "team_members_account_id_index" rename to "memberships_account_id_index";`);
    this.addSql(`alter index "team_members_pkey" rename to "memberships_pkey";`);
    this.addSql(`alter table "team_members" rename to "memberships";`);
  }

}
