// Fuzz: runs one fuzz target. `Fuzz list` prints the names of the targets. In a build with libFuzzer, `Fuzz TARGET
// [libFuzzer's arguments]` searches for inputs that break the target's promise; in any other build, `Fuzz TARGET FILE…`
// checks the given files once.

import Foundation
import FuzzTargets

private enum Fuzz {
    /// The target that the first argument names. The process ends if there is none.
    static let target: FuzzTarget = {
        guard let name = CommandLine.arguments.dropFirst().first else { end("usage: Fuzz list | Fuzz TARGET …", 64) }
        if name == "list" {
            for target in FuzzTarget.all { print(target.name, target.maximumBytes) }
            exit(0)
        }
        guard let target = FuzzTarget.named(name) else { end("no target has the name \(name); see Fuzz list", 64) }
        guard target.isAvailable else { end("skipped: \(target.needs ?? "") cannot be had", 75) }
        return target
    }()

    static func end(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

#if FUZZER
/// libFuzzer calls this before it reads the arguments, and gets all of them except the name of the target.
@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    _ = Fuzz.target
    for index in 1..<Int(count.pointee) { arguments.pointee[index] = arguments.pointee[index + 1] }
    count.pointee -= 1
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try Fuzz.target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        // libFuzzer keeps the input of a process that ends like this.
        fatalError("\(error)")
    }
    return 0
}
#else
@main enum FileCheck {
    static func main() {
        let target = Fuzz.target
        let files = CommandLine.arguments.dropFirst(2)
        for path in files {
            guard let bytes = FuzzTarget.file(path) else { Fuzz.end("\(path) cannot be read", 66) }
            do { try target.check(bytes) } catch { Fuzz.end("\(path): \(error)", 1) }
        }
        print("\(files.count) inputs kept the promise of \(target.name)")
    }
}
#endif
