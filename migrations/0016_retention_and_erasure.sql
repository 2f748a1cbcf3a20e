ALTER TABLE `accounts` ADD `erasing_at` integer;--> statement-breakpoint
CREATE INDEX `accounts_erasing` ON `accounts` (`erasing_at`) WHERE "accounts"."erasing_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `idle_since` integer;--> statement-breakpoint
CREATE INDEX `jobs_idle` ON `jobs` (`idle_since`,`id`) WHERE "jobs"."idle_since" IS NOT NULL;