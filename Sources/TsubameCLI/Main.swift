// Main: the entry point of the tool.

@main
enum Main {
    static func main() { TsubameCommand.start() }
}
