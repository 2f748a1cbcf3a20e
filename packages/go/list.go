package tickreel

// List is a list that loads its pages as they are read:
//
//	jobs := client.Jobs.List(ctx, tickreel.ListJobsQuery{Status: "done"})
//	for jobs.Next() {
//		fmt.Println(jobs.Item().ID)
//	}
//	if err := jobs.Err(); err != nil { … }
type List[Item any] struct {
	read   func(cursor string) ([]Item, string, error)
	items  []Item
	item   Item
	cursor string
	isLast bool
	err    error
}

// listOf creates a list that begins at a cursor. read returns a page and the cursor of the next one, or none.
func listOf[Item any](cursor string, read func(cursor string) ([]Item, string, error)) *List[Item] {
	return &List[Item]{read: read, cursor: cursor}
}

// Next loads the next item. It returns false at the end, and after an error.
func (l *List[Item]) Next() bool {
	for len(l.items) == 0 && !l.isLast && l.err == nil {
		l.items, l.cursor, l.err = l.read(l.cursor)
		l.isLast = l.cursor == ""
	}
	if l.err != nil || len(l.items) == 0 {
		return false
	}
	l.item, l.items = l.items[0], l.items[1:]
	return true
}

// Item returns the item that Next has loaded.
func (l *List[Item]) Item() Item { return l.item }

// Err returns the error that ended the list; nil at its end.
func (l *List[Item]) Err() error { return l.err }
