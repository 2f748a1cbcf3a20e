CREATE TABLE `usage_days` (
	`account_id` text NOT NULL,
	`day` integer NOT NULL,
	`tier` text NOT NULL,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`seconds` real NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `tier`, `resolution`, `fps`)
);
--> statement-breakpoint
DROP INDEX `assets_account_created`;--> statement-breakpoint
CREATE INDEX `assets_list` ON `assets` (`account_id`,`kind`,`created_at`,`id`) WHERE "assets"."deleted_at" is null;--> statement-breakpoint
-- Without a rowid: each clip has its id once less, and finding one by its id is one look-up.
CREATE TABLE `clips_by_id` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`job_id` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`is_saved` integer NOT NULL,
	`title` text NOT NULL,
	`facts` text,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`tier` text NOT NULL,
	`duration_seconds` real NOT NULL,
	`video_key` text NOT NULL,
	`video_bytes` integer NOT NULL,
	`video_sha256` text NOT NULL,
	`thumbnail_key` text NOT NULL,
	`thumbnail_bytes` integer NOT NULL,
	`thumbnail_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`rendered_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `clips_by_id` SELECT `id`, `account_id`, `job_id`, `version`, `state`, `is_saved`, `title`, `facts`, `resolution`, `fps`,
	`tier`, `duration_seconds`, `video_key`, `video_bytes`, `video_sha256`, `thumbnail_key`, `thumbnail_bytes`,
	`thumbnail_sha256`, `created_at`, `rendered_at` FROM `clips`;--> statement-breakpoint
DROP TABLE `clips`;--> statement-breakpoint
ALTER TABLE `clips_by_id` RENAME TO `clips`;--> statement-breakpoint
CREATE INDEX `clips_list` ON `clips` (`account_id`,`state`,`is_saved`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `clips_expiry` ON `clips` (`rendered_at`,`id`) WHERE "clips"."state" = 'ready' AND "clips"."is_saved" = 0;--> statement-breakpoint
DROP INDEX `jobs_account_created`;--> statement-breakpoint
CREATE INDEX `jobs_list` ON `jobs` (`account_id`,`mode`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_list_status` ON `jobs` (`account_id`,`status`,`mode`,`created_at`,`id`);--> statement-breakpoint
DROP INDEX `usage_account_rendered`;--> statement-breakpoint
CREATE INDEX `usage_rendered` ON `usage` (`rendered_at`);--> statement-breakpoint
DROP INDEX `api_keys_account`;--> statement-breakpoint
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accounts_created` ON `accounts` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `hosts_created` ON `hosts` (`created_at`,`id`);--> statement-breakpoint
INSERT INTO `usage_days` (`account_id`, `day`, `tier`, `resolution`, `fps`, `seconds`)
SELECT `account_id`, `rendered_at` / 86400000, `tier`, `resolution`, `fps`, SUM(`seconds`) FROM `usage` GROUP BY 1, 2, 3, 4, 5;
--> statement-breakpoint
-- A trigger, so that a row that is there already adds nothing, and that rows of the version before are summed too.
CREATE TRIGGER `usage_summed` AFTER INSERT ON `usage` BEGIN
	INSERT INTO `usage_days` (`account_id`, `day`, `tier`, `resolution`, `fps`, `seconds`)
	VALUES (NEW.`account_id`, NEW.`rendered_at` / 86400000, NEW.`tier`, NEW.`resolution`, NEW.`fps`, NEW.`seconds`)
	ON CONFLICT DO UPDATE SET `seconds` = `seconds` + excluded.`seconds`;
END;
