CREATE TABLE `cursors` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL
);
