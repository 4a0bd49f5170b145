from graph.cli import main

raise SystemExit(main())
