// StandardError: lines for the person at the terminal.

#if Inspector
import TsubamePlatform

enum StandardError {
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = FileOutput.write(UnsafeRawBufferPointer($0), to: 2) }
    }
}
#endif
