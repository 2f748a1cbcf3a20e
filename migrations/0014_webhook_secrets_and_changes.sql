CREATE TABLE `webhook_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`hint` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_account` ON `webhook_secrets` (`account_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `jobs` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `jobs_changed` ON `jobs` (`account_id`,`changed_at`);