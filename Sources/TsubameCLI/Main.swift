// The entry point, with the trait Tool and without it.

#if !Tool
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
#endif

@main
enum Main {
    static func main() {
        #if Tool
        TsubameCommand.start()
        #else
        print("This is tsubame without its commands. Build it with: swift build --traits Tool --product tsubame")
        exit(1)
        #endif
    }
}
