CREATE TABLE `host_failures` (
	`host_id` text NOT NULL,
	`code` text NOT NULL,
	`failed_at` integer NOT NULL,
	`job_id` text NOT NULL,
	PRIMARY KEY(`host_id`, `code`, `failed_at`, `job_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `host_failures_failed` ON `host_failures` (`failed_at`);--> statement-breakpoint
CREATE TABLE `host_registrations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_sha256` text NOT NULL,
	`uses` integer NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `host_registrations_token` ON `host_registrations` (`token_sha256`);--> statement-breakpoint
CREATE INDEX `host_registrations_created` ON `host_registrations` (`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `renderer` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `labels` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `labels` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `hold` text;--> statement-breakpoint
ALTER TABLE `hosts` ADD `hold_until` integer;--> statement-breakpoint
ALTER TABLE `hosts` ADD `note` text;--> statement-breakpoint
ALTER TABLE `hosts` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `capabilities` text;--> statement-breakpoint
ALTER TABLE `hosts` ADD `seen_at` integer;
