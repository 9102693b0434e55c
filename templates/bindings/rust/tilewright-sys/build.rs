//! Finds or builds the C library. In this order: TILEWRIGHT_DIR (a prefix that `gen emit --prefix` installed into), the
//! sources in `vendor/` (feature `vendored`), pkg-config. Feature `cuda` asks for the GPU library, else it is the emulated
//! one.
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TILEWRIGHT_DIR");
    if env::var_os("DOCS_RS").is_some() {
        return; // nothing is linked there
    }
    let library = Library::asked();
    if let Some(prefix) = env::var_os("TILEWRIGHT_DIR") {
        library.installed(Path::new(&prefix));
    } else if cfg!(feature = "vendored") {
        library.vendored();
    } else {
        library.packaged();
    }
}

/// One of the two libraries with the same interface.
struct Library {
    name: &'static str,
    cuda: bool,
}

impl Library {
    fn asked() -> Self {
        let cuda = cfg!(feature = "cuda");
        Self { name: if cuda { "tilewright" } else { "tilewright_emulated" }, cuda }
    }

    /// Below a prefix: an archive where there is one, else the shared library.
    fn installed(&self, prefix: &Path) {
        let folders = ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"].map(|name| prefix.join(name));
        let has = |folder: &&PathBuf, end: &str| folder.join(format!("lib{}.{end}", self.name)).exists();
        println!("cargo::metadata=include={}", prefix.join("include").display());
        println!("cargo::rustc-env=TILEWRIGHT_INCLUDE={}", prefix.join("include").display());
        if let Some(folder) = folders.iter().find(|folder| has(folder, "a")) {
            link_folder(folder);
            println!("cargo::rustc-link-lib=static:-bundle={}", self.name);
            self.link_runtimes();
        } else if let Some(folder) = folders.iter().find(|folder| has(folder, "so")) {
            link_folder(folder);
            println!("cargo::rustc-link-lib=dylib={}", self.name);
            println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display()); // of this package's own tests
        } else {
            panic!(
                "TILEWRIGHT_DIR={} has no lib{}: install the library there with `gen emit --prefix {0}`, or unset it",
                prefix.display(),
                self.name
            );
        }
    }

    fn packaged(&self) {
        match pkg_config::Config::new().probe(self.name) {
            Ok(found) => {
                let include = found.include_paths.first().cloned().unwrap_or_else(|| "/usr/include".into());
                println!("cargo::metadata=include={}", include.display());
                println!("cargo::rustc-env=TILEWRIGHT_INCLUDE={}", include.display());
            }
            Err(error) => panic!("{error}\nset TILEWRIGHT_DIR to the library's prefix, or build with the feature `vendored`"),
        }
    }

    /// Compiles the emitted library as its CMakeLists.txt does.
    fn vendored(&self) {
        let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("vendor");
        for part in ["include", "src", "device", "simt", "kernels", "manifest.json"] {
            println!("cargo::rerun-if-changed={}", root.join(part).display());
        }
        println!("cargo::metadata=include={}", root.join("include").display());
        println!("cargo::rustc-env=TILEWRIGHT_INCLUDE={}", root.join("include").display());
        let toolkit = if self.cuda { Some(Toolkit::find()) } else { None };
        // The levels of the library's own build: the emulated device need not be fast, but compile fast.
        let host = if self.cuda { 3 } else { 1 };
        let kernels = if self.cuda { None } else { Some(self.kernel_compiler(&root)) };
        let mut objects = Vec::new();
        for operation in entries(&root.join("src/operations")) {
            let mut common = self.compiler(&root, toolkit.as_ref(), host);
            common.include(&operation).file(operation.join("operation.cpp")); // includes the others
            objects.extend(common.compile_intermediates());
            if let Some(compiler) = &kernels {
                let name = operation.file_name().expect("a folder has a name");
                let mut own = compiler.clone();
                own.include(&operation).files(sources(&root.join("kernels").join(name), "cu"));
                objects.extend(own.compile_intermediates());
            }
        }
        let mut shared = self.compiler(&root, toolkit.as_ref(), host);
        let folders = ["src", "src/tuner", if self.cuda { "src/cuda" } else { "src/emulated" }];
        shared.files(together("library", folders.iter().flat_map(|folder| sources(&root.join(folder), "cpp"))));
        objects.extend(shared.compile_intermediates());
        if !self.cuda {
            let mut emulator = self.compiler(&root, None, host);
            emulator.files(together("emulator", sources(&root.join("simt/src"), "cpp")));
            objects.extend(emulator.compile_intermediates());
        }
        let mut embedded = cc::Build::new();
        embedded.include(&root).file(root.join("src/manifest.S"));
        if self.cuda {
            embedded.file(root.join("src/cuda/kernels.S"));
        }
        objects.extend(embedded.compile_intermediates());
        cc::Build::new().cpp(true).objects(objects).compile(self.name);
        if let Some(toolkit) = toolkit {
            link_folder(&toolkit.library);
        }
        self.link_runtimes();
    }

    fn compiler(&self, root: &Path, toolkit: Option<&Toolkit>, level: u32) -> cc::Build {
        let mut build = cc::Build::new();
        build.cpp(true).std("c++20").pic(true).opt_level(level).debug(false).warnings(false).define("NDEBUG", None);
        for flag in ["-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wno-psabi"] {
            build.flag(flag);
        }
        for folder in ["include", "src", "device"] {
            build.include(root.join(folder));
        }
        if let Some(toolkit) = toolkit {
            build.include(&toolkit.include);
        } else {
            build.define("TW_EMULATED", None).include(root.join("simt/include")).include(root.join("simt/src"));
        }
        build
    }

    /// Rendered CUDA is also C++. Most of the time goes into one header, which GCC can precompile.
    fn kernel_compiler(&self, root: &Path) -> cc::Build {
        let mut build = self.compiler(root, None, 1);
        build.include(root.join("src/emulated/types")).flag("-fno-strict-aliasing").flag("-x").flag("c++");
        let header = out_folder().join("kernels.hpp");
        write(&header, "#include <tw/ptx.cuh>\n");
        let compiler = build.get_compiler();
        if compiler.is_like_gnu() {
            let precompiled = header.with_extension("hpp.gch");
            let mut command = compiler.to_command();
            command.args(["-x", "c++-header", "-c"]).arg(&header).arg("-o").arg(&precompiled);
            if !command.status().is_ok_and(|status| status.success()) {
                let _ = fs::remove_file(precompiled); // the header itself serves, at greater length
            }
        }
        build.flag("-include").flag(header);
        build
    }

    /// Links the libraries that the archives depend on.
    fn link_runtimes(&self) {
        println!("cargo::rustc-link-lib=dylib=stdc++");
        for name in ["m", "pthread", "dl"] {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
        if self.cuda {
            println!("cargo::rustc-link-lib=static:-bundle=cudart_static");
            println!("cargo::rustc-link-lib=dylib=rt");
        }
    }
}

/// Headers and static runtime of CUDA; neither nvcc nor a driver is needed.
struct Toolkit {
    include: PathBuf,
    library: PathBuf,
}

impl Toolkit {
    fn find() -> Self {
        let variables = ["TILEWRIGHT_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"];
        for name in variables {
            println!("cargo::rerun-if-env-changed={name}");
        }
        let roots = variables.into_iter().filter_map(env::var_os).map(PathBuf::from);
        roots.chain(["/usr/local/cuda".into(), "/opt/cuda".into()]).find_map(|root| Self::at(&root)).unwrap_or_else(|| {
            panic!(
                "feature `cuda` needs cuda_runtime_api.h and libcudart_static.a of a CUDA toolkit: set {} to its root",
                variables.join(" or ")
            )
        })
    }

    fn at(root: &Path) -> Option<Self> {
        let include = root.join("include");
        let folders = ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"];
        let library = folders.map(|name| root.join(name)).into_iter().find(|f| f.join("libcudart_static.a").exists())?;
        include.join("cuda_runtime_api.h").exists().then_some(Self { include, library })
    }
}

fn link_folder(folder: &Path) {
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::metadata=libdir={}", folder.display());
}

/// Sources, several to a file that includes them: the compiler needs longer for the headers that they share than for themselves.
fn together(name: &str, sources: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let all: Vec<_> = sources.into_iter().map(|path| format!("#include \"{}\"\n", path.display())).collect();
    let files = all.chunks(12).enumerate().map(|(index, part)| {
        let file = out_folder().join(format!("{name}-{index}.cpp"));
        write(&file, &part.concat());
        file
    });
    files.collect()
}

fn out_folder() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
}

/// Files of one kind in a folder, sorted.
fn sources(folder: &Path, extension: &str) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.extension().is_some_and(|own| own == extension)).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut paths: Vec<_> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
