import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000013_changes extends Migration {

  override name = 'Migration20261122000013_changes';

  override up(): void | Promise<void> {
    this.addSql(`create table "subscription_changes" ("id" uuid not null, "created_at" bigint not null, "updated_at" bigint not null, "tenant_id" uuid not null, "subscription_id" uuid not null, "kind" text not null, "requested_by" text not null, "repeat" boolean not null default false, "billing_status" varchar(255) null, "cancel_at" bigint null, "reported_at" bigint null, "status" text not null default 'requested', "fingerprint" varchar(64) not null, "request" text null, "attempt" int not null default 0, "token" varchar(255) null, "claimed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "deadline_at" timestamptz(3) null, "answered_at" timestamptz(3) null, "settled_at" timestamptz(3) null, "evidence" jsonb null, "late_evidence" jsonb null, "error" jsonb null, primary key ("id"));`);
    this.addSql(`create index "subscription_changes_subscription_id_created_at_id_index" on "subscription_changes" ("subscription_id", "created_at", "id");`);
    this.addSql(`create index "subscription_changes_status_created_at_index" on "subscription_changes" ("status", "created_at");`);
    this.addSql(`create unique index "subscription_changes_open" on "subscription_changes" ("subscription_id", "kind") where status in ('requested', 'processing');`);
    this.addSql(`create unique index "subscription_changes_sent" on "subscription_changes" ("subscription_id") where status = 'processing';`);
    this.addSql(`create index "subscription_changes_cards" on "subscription_changes" ("settled_at") where kind = 'card' and status in ('rejected', 'failed', 'unknown');`);
    this.addSql(`create index "subscription_changes_unproved" on "subscription_changes" ("settled_at") where status = 'unknown' and late_evidence is null;`);
    this.addSql(`alter table "subscription_changes" add constraint "subscription_changes_subscription_id_foreign" foreign key ("subscription_id") references "subscriptions" ("id") on delete restrict;`);
    this.addSql(`alter table "subscription_changes" add constraint "subscription_changes_kind_check" check ("kind" in ('cancel', 'cancel_now', 'resume', 'card'));`);
    this.addSql(`alter table "subscription_changes" add constraint "subscription_changes_requested_by_check" check ("requested_by" in ('member', 'operator', 'archive', 'system'));`);
    this.addSql(`alter table "subscription_changes" add constraint "subscription_changes_status_check" check ("status" in ('requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'));`);
    this.addSql(`alter table "subscriptions" add "revoked_at" bigint null, add "held_until" bigint null, add "read_at" bigint null, add "read_wanted_at" bigint null;`);
    this.addSql(`create index "subscriptions_read" on "subscriptions" ("read_wanted_at") where read_wanted_at is not null;`);
    this.addSql(`create index "subscriptions_lapsed" on "subscriptions" (greatest(paid_through_at + 7200, created_at + 7200, read_at + 86400)) where status = 'live' and kind = 'recurring' and provider_subscription_id is not null and read_wanted_at is null;`);
    this.addSql(`create index "subscriptions_cancelling" on "subscriptions" ("updated_at") where status = 'live' and not (cancel_at is not null and (paid_through_at is null or cancel_at <= paid_through_at)) and cancelled_by is not null;`);
    this.addSql(`create index "subscriptions_second" on "subscriptions" ("updated_at") where status = 'given_up' and provider_subscription_id is not null;`);
    this.addSql(`create index "payments_unread" on "payments" ("updated_at") where provider_invoice_id is not null and captured_amount > 0 and (evidence ->> 'payment_intent') is null;`);
    this.addSql(`drop index "audience_members_overdue";`);
    this.addSql(`create index "audience_members_overdue" on "audience_members" ("access_until", "id") where status = 'active' and access_until is not null;`);
    this.addSql(`alter table "audiences" add "ending" boolean not null default false;`);
    this.addSql(`create index "audiences_ending" on "audiences" ("id") where ending;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "subscription_changes" cascade;`);
    this.addSql(`drop index "subscriptions_lapsed";`);
    this.addSql(`drop index "subscriptions_cancelling";`);
    this.addSql(`drop index "subscriptions_second";`);
    this.addSql(`alter table "subscriptions" drop column "revoked_at", drop column "held_until", drop column "read_at", drop column "read_wanted_at";`);
    this.addSql(`drop index "payments_unread";`);
    this.addSql(`drop index "audience_members_overdue";`);
    this.addSql(`create index "audience_members_overdue" on "audience_members" ("access_until") where status = 'active' and access_until is not null;`);
    this.addSql(`alter table "audiences" drop column "ending";`);
  }

}
