// manifest.S - embeds manifest.json, ended by a zero byte.
        .section .rodata
        .globl   tilewright_manifest
        .hidden  tilewright_manifest
tilewright_manifest:
        .incbin  "manifest.json"
        .byte    0
        .section .note.GNU-stack, "", %progbits
