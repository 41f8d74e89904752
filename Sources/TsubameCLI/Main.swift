// Main: the entry point of the tool.

import TsubamePlatform

@main
enum Main {
    static func main() {
        // A write beyond the limit on the size of files (ulimit -f) is then an error, and the partial file is removed.
        signal(SIGXFSZ, SIG_IGN)
        TsubameCommand.start()
    }
}
