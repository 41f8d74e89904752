// CookieWriter: sets cookies in a jar of SQLite until it is through, or killed; a line for each that is kept.
//
// CookieWriter FILE PREFIX COUNT: `PREFIX0=0` and so on, each with a number that grows, 100 names at most.

#if Store
import Foundation
import Tsubame
import TsubameStore

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[3]) else { exit(64) }
do {
    let jar = try CookieJar(sqlite: arguments[1])
    for number in 0..<count {
        try jar.set("\(arguments[2])\(number % 100)=\(number); Max-Age=86400", from: "https://www.example.com/")
        try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
    }
    for notice in jar.notices { print(notice) }
} catch {
    print(error)
    exit(1)
}
#endif
