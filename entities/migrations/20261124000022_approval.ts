import { Migration } from '@mikro-orm/migrations';

export class Migration20261124000022_approval extends Migration {

  override name = 'Migration20261124000022_approval';

  override up(): void | Promise<void> {
    this.addSql(`alter table "orders" add "approval_required" boolean not null default false, add "decide_by" bigint null;`);
    this.addSql(`alter table "orders" drop constraint "orders_cancel_reason_check";`);
    this.addSql(`alter table "orders" add constraint "orders_cancel_reason_check" check ("cancel_reason" in ('requested', 'declared_failed', 'payment_expired', 'payment_failed', 'approval_expired', 'authorization_expired', 'capture_rejected')) not valid;`);
    this.addSql(`alter table "orders" validate constraint "orders_cancel_reason_check";`);
    this.addSql(`alter table "payments" add "capture_before" bigint null;`);
    this.addSql(`alter table "payments" drop constraint "payments_status_check";`);
    this.addSql(`alter table "payments" add constraint "payments_status_check" check ("status" in ('pending', 'processing', 'authorized', 'paid', 'failed', 'cancelled')) not valid;`);
    this.addSql(`alter table "payments" validate constraint "payments_status_check";`);
    this.addSql(`create table "authorization_ends" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "order_id" uuid not null, "payment_id" uuid not null, "kind" text not null, "confirms_as" text null, "provider_account_id" varchar(255) null, "provider_payment_id" varchar(255) not null, "amount" bigint not null, "currency" varchar(3) not null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "authorization_ends_status_created_at_index" on "authorization_ends" ("status", "created_at");`);
    this.addSql(`create index "authorization_ends_order_id_index" on "authorization_ends" ("order_id");`);
    this.addSql(`create unique index "authorization_ends_decision" on "authorization_ends" ("payment_id") where status not in ('failed', 'rejected');`);
    this.addSql(`alter table "authorization_ends" add constraint "authorization_ends_payment_id_foreign" foreign key ("payment_id") references "payments" ("id") on delete restrict;`);
    this.addSql(`alter table "authorization_ends" add constraint "authorization_ends_kind_check" check ("kind" in ('capture', 'cancel'));`);
    this.addSql(`alter table "authorization_ends" add constraint "authorization_ends_confirms_as_check" check ("confirms_as" in ('confirmed', 'completed'));`);
    this.addSql(`alter table "authorization_ends" add constraint "authorization_ends_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "authorization_ends";`);
    this.addSql(`update "payments" set "status" = 'processing' where "status" = 'authorized';`);
    this.addSql(`alter table "payments" drop constraint "payments_status_check";`);
    this.addSql(`alter table "payments" add constraint "payments_status_check" check ("status" in ('pending', 'processing', 'paid', 'failed', 'cancelled'));`);
    this.addSql(`alter table "payments" drop column "capture_before";`);
    this.addSql(`update "orders" set "cancel_reason" = case "cancel_reason" when 'capture_rejected' then 'payment_failed' else 'requested' end where "cancel_reason" in ('approval_expired', 'authorization_expired', 'capture_rejected');`);
    this.addSql(`alter table "orders" drop constraint "orders_cancel_reason_check";`);
    this.addSql(`alter table "orders" add constraint "orders_cancel_reason_check" check ("cancel_reason" in ('requested', 'declared_failed', 'payment_expired', 'payment_failed'));`);
    this.addSql(`alter table "orders" drop column "approval_required", drop column "decide_by";`);
  }

}
