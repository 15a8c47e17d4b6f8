import { IndexMigration } from '../kit/database/build-index.ts';

export class Migration20261124000050_start_ahead extends IndexMigration {

  override name = 'Migration20261124000050_start_ahead';

  override async up(): Promise<void> {
    this.addSql(`alter table "order_bookings" add column if not exists "reminder_started" boolean not null default false;`);
    this.addSql(`alter table "orders" add column if not exists "hold_started" boolean not null default false;`);
    await this.buildIndex(`create index concurrently "order_bookings_remind_later" on "order_bookings" ("remind_at") where remind_at is not null and not reminder_started`);
    await this.buildIndex(`create index concurrently "orders_undecided" on "orders" ("hold_until") where approval_required and status = 'pending' and hold_until is not null and not hold_started`);
    // The previous version has started them all. Reminders, which are many, are started once more when they are near: theirs are signalled.
    this.addSql(`update "orders" set "hold_started" = true where "status" = 'pending' and "hold_until" is not null;`);
  }

  override async down(): Promise<void> {
    for (const index of ['order_bookings_remind_later', 'orders_undecided']) await this.dropIndex(index);
    this.addSql(`alter table "order_bookings" drop column if exists "reminder_started";`);
    this.addSql(`alter table "orders" drop column if exists "hold_started";`);
  }

}
