CREATE TABLE `clip_views` (
	`day` integer NOT NULL,
	`clip_id` text NOT NULL,
	`views` integer NOT NULL,
	PRIMARY KEY(`day`, `clip_id`)
);
