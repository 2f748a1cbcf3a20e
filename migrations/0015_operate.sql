CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`operator_id` text,
	`operator` text NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`changes` text,
	`status` integer,
	`request_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_created` ON `audit` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `day_counts` (
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	`amount` real NOT NULL,
	PRIMARY KEY(`day`, `name`)
);
--> statement-breakpoint
CREATE TABLE `operators` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`token_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operators_token_sha256` ON `operators` (`token_sha256`);--> statement-breakpoint
CREATE INDEX `operators_created` ON `operators` (`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `limits` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `name` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scope` text DEFAULT 'manage' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `used_at` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `webhook_trouble` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `trouble_at` integer;--> statement-breakpoint
CREATE INDEX `jobs_created` ON `jobs` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_trouble` ON `jobs` (`trouble_at`,`id`) WHERE "jobs"."webhook_trouble" IS NOT NULL;--> statement-breakpoint
INSERT INTO `day_counts` SELECT `rendered_at` / 86400000, 'done', COUNT(*), SUM(`seconds`) FROM `usage` GROUP BY 1;
--> statement-breakpoint
INSERT INTO `day_counts` SELECT `finished_at` / 86400000, 'error ' || `error_code`, COUNT(*), 0 FROM `jobs`
WHERE `status` = 'error' AND `mode` <> 'inspect' AND `finished_at` IS NOT NULL AND `error_code` IS NOT NULL GROUP BY 1, 2;
--> statement-breakpoint
INSERT INTO `day_counts` SELECT `rendered_at` / 86400000, 'clips', COUNT(*), SUM(`video_bytes` + `thumbnail_bytes`)
FROM `clips` WHERE `state` = 'ready' GROUP BY 1;
--> statement-breakpoint
-- Triggers, so that what is written again counts once, and what the version before writes counts too.
CREATE TRIGGER `runs_counted` AFTER INSERT ON `usage` BEGIN
	INSERT INTO `day_counts` (`day`, `name`, `count`, `amount`) VALUES (NEW.`rendered_at` / 86400000, 'done', 1, NEW.`seconds`)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1, `amount` = `amount` + excluded.`amount`;
END;
--> statement-breakpoint
CREATE TRIGGER `failed_at_once_counted` AFTER INSERT ON `jobs`
WHEN NEW.`status` = 'error' AND NEW.`mode` <> 'inspect' AND NEW.`error_code` IS NOT NULL AND NEW.`finished_at` IS NOT NULL BEGIN
	INSERT INTO `day_counts` (`day`, `name`, `count`, `amount`)
	VALUES (NEW.`finished_at` / 86400000, 'error ' || NEW.`error_code`, 1, 0)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `failures_counted` AFTER UPDATE OF `finished_at` ON `jobs`
WHEN NEW.`status` = 'error' AND NEW.`mode` <> 'inspect' AND NEW.`error_code` IS NOT NULL AND NEW.`finished_at` IS NOT NULL
	AND NEW.`finished_at` IS NOT OLD.`finished_at` BEGIN
	INSERT INTO `day_counts` (`day`, `name`, `count`, `amount`)
	VALUES (NEW.`finished_at` / 86400000, 'error ' || NEW.`error_code`, 1, 0)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `clips_counted` AFTER INSERT ON `clips` WHEN NEW.`state` = 'ready' BEGIN
	INSERT INTO `day_counts` (`day`, `name`, `count`, `amount`)
	VALUES (NEW.`rendered_at` / 86400000, 'clips', 1, NEW.`video_bytes` + NEW.`thumbnail_bytes`)
	ON CONFLICT DO UPDATE SET `count` = `count` + 1, `amount` = `amount` + excluded.`amount`;
END;
--> statement-breakpoint
-- A clip that goes, that is made anew, or whose files change: what it was goes off its day, what it is goes on.
CREATE TRIGGER `clips_recounted` AFTER UPDATE ON `clips`
WHEN OLD.`state` <> NEW.`state` OR OLD.`rendered_at` <> NEW.`rendered_at` BEGIN
	UPDATE `day_counts` SET `count` = `count` - 1, `amount` = `amount` - OLD.`video_bytes` - OLD.`thumbnail_bytes`
	WHERE `day` = OLD.`rendered_at` / 86400000 AND `name` = 'clips' AND OLD.`state` = 'ready';
	INSERT INTO `day_counts` (`day`, `name`, `count`, `amount`)
	SELECT NEW.`rendered_at` / 86400000, 'clips', 1, NEW.`video_bytes` + NEW.`thumbnail_bytes` WHERE NEW.`state` = 'ready'
	ON CONFLICT DO UPDATE SET `count` = `count` + 1, `amount` = `amount` + excluded.`amount`;
END;
--> statement-breakpoint
CREATE TRIGGER `clips_discounted` AFTER DELETE ON `clips` WHEN OLD.`state` = 'ready' BEGIN
	UPDATE `day_counts` SET `count` = `count` - 1, `amount` = `amount` - OLD.`video_bytes` - OLD.`thumbnail_bytes`
	WHERE `day` = OLD.`rendered_at` / 86400000 AND `name` = 'clips';
END;
